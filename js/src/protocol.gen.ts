// Generated from bitte_nb/widget/protocol.py by `npm run protocol`. Do not edit.

export interface Protocol {
  Ack: Ack;
  AgentView: AgentView;
  ArgsDelta: ArgsDelta;
  ArgumentsForm: ArgumentsForm;
  AttachView: AttachView;
  ChatList: ChatList;
  ChatView: ChatView;
  CheckCall: CheckCall;
  ChoiceView: ChoiceView;
  Choose: Choose;
  Continue: Continue;
  Decide: Decide;
  DeleteChat: DeleteChat;
  DropUpload: DropUpload;
  EditCall: EditCall;
  EditMessage: EditMessage;
  Events: Events;
  Explain: Explain;
  ExportChat: ExportChat;
  ExportedFile: ExportedFile;
  FetchFile: FetchFile;
  FilePart: FilePart;
  FileView: FileView;
  GivenTool: GivenTool;
  GrantView: GrantView;
  InvocationChanged: InvocationChanged;
  InvocationView: InvocationView;
  ListChats: ListChats;
  ListedChat: ListedChat;
  NewChat: NewChat;
  OpenChat: OpenChat;
  Painted: Painted;
  PartView: PartView;
  PathChanged: PathChanged;
  Ping: Ping;
  Price: Price;
  Rate: Rate;
  Reconcile: Reconcile;
  Regenerate: Regenerate;
  RenameChat: RenameChat;
  Respond: Respond;
  Resync: Resync;
  Retry: Retry;
  RetryCall: RetryCall;
  Revoke: Revoke;
  RuleView: RuleView;
  Send: Send;
  SessionLog: SessionLog;
  SessionPart: SessionPart;
  Snapshot: Snapshot;
  StepChanged: StepChanged;
  StepGiven: StepGiven;
  StepRequest: StepRequest;
  StepView: StepView;
  Stop: Stop;
  TakeOver: TakeOver;
  TextDelta: TextDelta;
  ThinkingDelta: ThinkingDelta;
  TurnChanged: TurnChanged;
  TurnHead: TurnHead;
  TurnView: TurnView;
  Undo: Undo;
  Unfold: Unfold;
  Upload: Upload;
  WalletAnswer: WalletAnswer;
  WalletFault: WalletFault;
  WalletFound: WalletFound;
  WalletRequest: WalletRequest;
  Wallets: Wallets;
}
/**
 * The answer to the request `mid`; a refused one says why in a sentence. `seq` is the newest event's number.
 */
export interface Ack {
  type: "ack";
  mid: string;
  boot: string;
  seq: number;
  ok: boolean;
  code: string;
  message: string;
  data: {
    [k: string]: unknown;
  };
}
/**
 * Who answers.
 */
export interface AgentView {
  agent: string;
  name: string;
  description: string;
  model: string;
  document: string;
  account: string;
  price: Price | null;
  image: string;
  handle: string;
}
/**
 * Prices of one model, in units of the currency per million tokens.
 */
export interface Price {
  input: number;
  output: number;
  currency: string;
}
/**
 * More argument text of a card.
 */
export interface ArgsDelta {
  type: "args_delta";
  key: string;
  text: string;
}
/**
 * What the arguments of a card may be: answered with their JSON Schema (2020-12).
 */
export interface ArgumentsForm {
  mid: string;
  type: "arguments_form";
  key: string;
}
/**
 * What may be attached to a message.
 */
export interface AttachView {
  accept: string[];
  largest: number;
  most: number;
}
/**
 * The answer to `ListChats`.
 */
export interface ChatList {
  chats: ListedChat[];
  more: boolean;
}
/**
 * A chat in the list; plain text throughout.
 */
export interface ListedChat {
  chat: string;
  title: string;
  agent: string;
  updated: number;
  turns: number;
  pending: number;
  snippet: string;
}
/**
 * A whole chat, or the part of it that a cell shows.
 */
export interface ChatView {
  chat: string;
  title: string;
  agents: AgentView[];
  turns: TurnView[];
  invocations: {
    [k: string]: InvocationView;
  };
  suggestions: string[];
  attach: AttachView | null;
  rules: RuleView[];
  notice: string;
  elsewhere: boolean;
  part: PartView | null;
}
/**
 * A turn with its steps.
 */
export interface TurnView {
  turn: number;
  text: string;
  agent: string;
  at: number;
  ran_ms: number;
  phase:
    | "idle"
    | "connecting"
    | "streaming"
    | "stalled"
    | "retrying"
    | "awaiting"
    | "done"
    | "cancelled"
    | "failed";
  attempt: number;
  max_attempts: number;
  outcome: ("success" | "capped") | null;
  cause: ("http" | "error_event" | "violation" | "truncated" | "timeout" | "offline" | "exhausted") | null;
  reason: string;
  rough: boolean;
  can_retry: boolean;
  can_continue: boolean;
  actions: string[];
  files: FileView[];
  rating: "good" | "bad" | "";
  versions: number[];
  steps: StepView[];
}
/**
 * A file that was attached to a message; its bytes come by `fetch_file`.
 */
export interface FileView {
  digest: string;
  name: string;
  media: string;
  size: number;
}
/**
 * One model call of a turn.
 */
export interface StepView {
  step: number;
  model: string;
  text: string;
  thinking: string;
  offers: ChoiceView[];
  calls: string[];
  agent: string;
  left_out: number;
  shortened: number;
  finished: boolean;
  input_tokens: number;
  output_tokens: number;
  thought_ms: number;
}
/**
 * A button; where `missing` is not empty it opens a form of `args` and `missing`.
 */
export interface ChoiceView {
  tool: string;
  label: string;
  args: {
    [k: string]: unknown;
  };
  missing: string[];
  fields: {
    [k: string]: unknown;
  };
}
/**
 * A card.
 */
export interface InvocationView {
  key: string;
  tool: string;
  kind: "operation" | "primitive" | "local" | "handoff";
  executor: "http" | "wallet" | "local" | "remote";
  agent: string;
  state:
    | "streaming"
    | "proposed"
    | "pending"
    | "approved"
    | "executing"
    | "unknown"
    | "succeeded"
    | "failed"
    | "denied"
    | "expired"
    | "cancelled"
    | "undone";
  method: string;
  path: string;
  url: string;
  headers: {
    [k: string]: string;
  };
  body: string;
  args_text: string;
  args: {
    [k: string]: unknown;
  } | null;
  original_args: {
    [k: string]: unknown;
  } | null;
  digest: string;
  version: number;
  review: {
    [k: string]: unknown;
  } | null;
  responds: boolean;
  rule: string;
  reason: string;
  decider: "" | "person" | "code" | "rule";
  grant: GrantView | null;
  expires_at: number | null;
  attempt: number;
  cancel_requested: boolean;
  progress: string;
  result: {
    [k: string]: unknown;
  } | null;
  always: RuleView | null;
  checks: boolean;
  can_retry: boolean;
  doubt: boolean;
  can_undo: boolean;
  undone_by: string;
  compensates: string;
  sent_at: number | null;
  ran_ms: number;
  status: number | null;
}
/**
 * Who allowed it.
 */
export interface GrantView {
  source: "human" | "rule" | "session";
  rule: string;
  actor: string;
  at: number;
}
/**
 * What is always allowed in this chat: exactly this tool of this agent, by this method, at this origin.
 */
export interface RuleView {
  rule: string;
  agent: string;
  tool: string;
  method: string;
  origin: string;
  at: number;
}
/**
 * How the messages that a cell shows lie in their chat.
 */
export interface PartView {
  earlier: number;
  unfolded: boolean;
  ended: boolean;
  gone: boolean;
}
/**
 * Look up what came of a call whose outcome is unknown; acknowledged once it is known.
 */
export interface CheckCall {
  mid: string;
  boot: string;
  type: "check_call";
  key: string;
}
/**
 * Show the version of the chat in which this turn is.
 */
export interface Choose {
  mid: string;
  boot: string;
  type: "choose";
  turn: number;
}
/**
 * Go on with a capped turn with a new budget.
 */
export interface Continue {
  mid: string;
  boot: string;
  type: "continue";
  turn: number;
}
/**
 * The person approves or declines the card of this digest and version.
 */
export interface Decide {
  mid: string;
  boot: string;
  type: "decide";
  key: string;
  digest: string;
  version: number;
  decision: "approve" | "deny";
  reason: string;
  page: string;
  always: boolean;
}
/**
 * Remove a chat for good; where it is the one that is shown, a new one takes its place.
 */
export interface DeleteChat {
  mid: string;
  type: "delete_chat";
  chat: string;
}
/**
 * The person took a file away before its message went: what there is of it is not kept.
 */
export interface DropUpload {
  mid: string;
  type: "drop_upload";
  draft: string;
}
/**
 * The person gives the card of this digest and version other arguments, all of them; it comes back changed.
 */
export interface EditCall {
  mid: string;
  boot: string;
  type: "edit_call";
  key: string;
  digest: string;
  version: number;
  args: {
    [k: string]: unknown;
  };
}
/**
 * Say something else in the place of an earlier message; what was there stays as another version.
 */
export interface EditMessage {
  mid: string;
  boot: string;
  type: "edit_message";
  turn: number;
  text: string;
}
/**
 * Events numbered `first`, `first + 1`, ...; all events with a number up to `seq` are then known.
 */
export interface Events {
  type: "events";
  boot: string;
  first: number;
  events: (
    TextDelta | ThinkingDelta | ArgsDelta | TurnChanged | StepChanged | InvocationChanged | PathChanged
  )[];
}
/**
 * More words of a step.
 */
export interface TextDelta {
  type: "text_delta";
  turn: number;
  step: number;
  text: string;
}
/**
 * More reasoning of a step.
 */
export interface ThinkingDelta {
  type: "thinking_delta";
  turn: number;
  step: number;
  text: string;
}
/**
 * A turn is new or its head changed; its steps stay.
 */
export interface TurnChanged {
  type: "turn";
  head: TurnHead;
}
/**
 * A turn without its steps.
 */
export interface TurnHead {
  turn: number;
  text: string;
  agent: string;
  at: number;
  ran_ms: number;
  phase:
    | "idle"
    | "connecting"
    | "streaming"
    | "stalled"
    | "retrying"
    | "awaiting"
    | "done"
    | "cancelled"
    | "failed";
  attempt: number;
  max_attempts: number;
  outcome: ("success" | "capped") | null;
  cause: ("http" | "error_event" | "violation" | "truncated" | "timeout" | "offline" | "exhausted") | null;
  reason: string;
  rough: boolean;
  can_retry: boolean;
  can_continue: boolean;
  actions: string[];
  files: FileView[];
  rating: "good" | "bad" | "";
  versions: number[];
}
/**
 * A step is new, was reset by a new attempt, or is finished; it replaces the step of that number.
 */
export interface StepChanged {
  type: "step";
  turn: number;
  view: StepView;
}
/**
 * A card is new or changed; it replaces the card of that key.
 */
export interface InvocationChanged {
  type: "invocation";
  view: InvocationView;
}
/**
 * Another version of the chat: what was shown after the turn `after` (0: everything) gives way to these turns.
 */
export interface PathChanged {
  type: "path";
  after: number;
  turns: TurnView[];
  invocations: {
    [k: string]: InvocationView;
  };
}
/**
 * How each row of a card's review was read: answered with `review.derivation.explain`, as JSON.
 */
export interface Explain {
  mid: string;
  type: "explain";
  key: string;
}
/**
 * A chat as a file; answered by `ExportedFile`.
 */
export interface ExportChat {
  mid: string;
  type: "export_chat";
  chat: string;
  form: "json" | "jsonl" | "core" | "markdown" | "html";
}
/**
 * The answer to `ExportChat`.
 */
export interface ExportedFile {
  name: string;
  media: string;
  text: string;
}
/**
 * A piece of a file that was attached; answered by `FilePart`.
 */
export interface FetchFile {
  mid: string;
  type: "fetch_file";
  digest: string;
  offset: number;
}
/**
 * The answer to `FetchFile`.
 */
export interface FilePart {
  data: string;
  size: number;
}
/**
 * A tool as the model was offered it.
 */
export interface GivenTool {
  name: string;
  sent_as: string;
  description: string;
  input_schema: {
    [k: string]: unknown;
  };
}
/**
 * Which chats are there? Answered by `ChatList`; with a query, by those in which its words were said.
 */
export interface ListChats {
  mid: string;
  type: "list_chats";
  query: string;
  offset: number;
  limit: number;
}
/**
 * Begin another chat with the same agents in this place.
 */
export interface NewChat {
  mid: string;
  type: "new_chat";
}
/**
 * Show another chat in this place.
 */
export interface OpenChat {
  mid: string;
  type: "open_chat";
  chat: string;
}
/**
 * The page fell behind with painting, or caught up; it says nothing while it keeps up, and no answer is sent.
 */
export interface Painted {
  mid: string;
  type: "painted";
  page: string;
  behind: number;
}
/**
 * Is the kernel there? Answered by an acknowledgement with its boot and newest number.
 */
export interface Ping {
  mid: string;
  type: "ping";
  page: string;
}
/**
 * Say whether an answer was of use; empty takes it back.
 */
export interface Rate {
  mid: string;
  boot: string;
  type: "rate";
  turn: number;
  rating: "good" | "bad" | "";
}
/**
 * The person says what came of a call whose outcome is unknown.
 */
export interface Reconcile {
  mid: string;
  boot: string;
  type: "reconcile";
  key: string;
  happened: boolean;
  note: string;
}
/**
 * Answer the message of a turn once more; the answer that was there stays as another version.
 */
export interface Regenerate {
  mid: string;
  boot: string;
  type: "regenerate";
  turn: number;
}
/**
 * Give a chat another title.
 */
export interface RenameChat {
  mid: string;
  type: "rename_chat";
  chat: string;
  title: string;
}
/**
 * The person gives the result of the card as text, for example a pasted signature.
 */
export interface Respond {
  mid: string;
  boot: string;
  type: "respond";
  key: string;
  digest: string;
  version: number;
  text: string;
}
/**
 * A new page, or one that saw a gap, asks for a snapshot.
 */
export interface Resync {
  mid: string;
  type: "resync";
}
/**
 * Try a failed turn again; finished calls keep their results.
 */
export interface Retry {
  mid: string;
  boot: string;
  type: "retry";
  turn: number;
}
/**
 * Try a call again; it goes through the policy.
 */
export interface RetryCall {
  mid: string;
  boot: string;
  type: "retry_call";
  key: string;
}
/**
 * Take back what was always allowed.
 */
export interface Revoke {
  mid: string;
  boot: string;
  type: "revoke";
  rule: string;
}
/**
 * The person says something.
 */
export interface Send {
  mid: string;
  boot: string;
  type: "send";
  text: string;
  /**
   * @maxItems 10
   */
  files:
    | []
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string]
    | [string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string]
    | [string, string, string, string, string, string, string, string, string, string];
}
/**
 * How the stream session of a turn went.
 */
export interface SessionLog {
  mid: string;
  type: "session_log";
  turn: number;
}
/**
 * One change of a turn's stream session; `SessionLog` is answered with a list of them, oldest first.
 */
export interface SessionPart {
  at: number;
  event: string;
  phase:
    | "idle"
    | "connecting"
    | "streaming"
    | "stalled"
    | "retrying"
    | "awaiting"
    | "done"
    | "cancelled"
    | "failed";
  attempt: number;
  cause: ("http" | "error_event" | "violation" | "truncated" | "timeout" | "offline" | "exhausted") | null;
  reason: string;
}
/**
 * Everything up to and including event number `seq`.
 */
export interface Snapshot {
  type: "snapshot";
  boot: string;
  seq: number;
  protocol: number;
  chat: ChatView;
}
/**
 * The answer to `StepRequest`: made again from the history and the agent as they are.
 */
export interface StepGiven {
  system: string;
  messages: {
    [k: string]: unknown;
  }[];
  tools: GivenTool[];
  system_tokens: number;
  message_tokens: number;
  tool_tokens: number;
  changed: boolean;
}
/**
 * What the model was given for a step of a turn; answered by `StepGiven`, and kept nowhere.
 */
export interface StepRequest {
  mid: string;
  type: "step_request";
  turn: number;
  step: number;
  raw: boolean;
}
/**
 * Stop the running turn.
 */
export interface Stop {
  mid: string;
  boot: string;
  type: "stop";
}
/**
 * Go on here with the chat that is shown and that another kernel writes; that one then can only read it.
 */
export interface TakeOver {
  mid: string;
  type: "take_over";
  chat: string;
}
/**
 * Ask to take a finished call back; the undo asks for its own approval.
 */
export interface Undo {
  mid: string;
  boot: string;
  type: "undo";
  key: string;
}
/**
 * Show the earlier messages in a cell that shows a part of its chat, or hide them again; a snapshot follows.
 */
export interface Unfold {
  mid: string;
  type: "unfold";
  unfolded: boolean;
}
/**
 * A piece of a file that goes with a later message; answered with how many bytes have arrived.
 */
export interface Upload {
  mid: string;
  type: "upload";
  draft: string;
  name: string;
  media: string;
  size: number;
  offset: number;
  data: string;
}
/**
 * What the wallet said to the request `nonce`: `error`, or else `result`.
 */
export interface WalletAnswer {
  mid: string;
  type: "wallet_answer";
  page: string;
  key: string;
  nonce: string;
  result: {
    [k: string]: unknown;
  };
  error: WalletFault | null;
}
/**
 * Why a wallet did not do what it was asked (EIP-1193 codes; those of ours are below 1000).
 */
export interface WalletFault {
  code: number;
  message: string;
}
/**
 * A wallet that announced itself to the page; all of it is its own claim.
 */
export interface WalletFound {
  rdns: string;
  name: string;
}
/**
 * Ask the wallet in the page, once: carried out only by the page whose Approve button was pressed for `key`.
 */
export interface WalletRequest {
  type: "wallet_request";
  boot: string;
  page: string;
  key: string;
  nonce: string;
  namespace: "evm" | "near";
  method: string;
  params: unknown;
  network: string;
  account: string;
}
/**
 * The wallets that the page has found, and what the chosen one lets the page see without asking the person.
 */
export interface Wallets {
  mid: string;
  type: "wallets";
  page: string;
  /**
   * @maxItems 64
   */
  found: WalletFound[];
  /**
   * @maxItems 64
   */
  accounts: string[];
  network: string;
}
