// The messages between page and kernel: unions over the generated types, and the guard at the edge.

import type {
  Ack,
  ArgsDelta,
  ArgumentsForm,
  CheckCall,
  Choose,
  Continue,
  Decide,
  DeleteChat,
  DropUpload,
  EditCall,
  EditMessage,
  Events,
  Explain,
  ExportChat,
  FetchFile,
  InvocationChanged,
  InvocationView,
  ListChats,
  NewChat,
  OpenChat,
  Painted,
  PathChanged,
  Ping,
  Rate,
  Reconcile,
  Regenerate,
  RenameChat,
  Respond,
  Resync,
  Retry,
  RetryCall,
  Revoke,
  Send,
  SessionLog,
  Snapshot,
  StepChanged,
  StepRequest,
  Stop,
  TakeOver,
  TextDelta,
  ThinkingDelta,
  TurnChanged,
  TurnHead,
  Undo,
  Unfold,
  Upload,
  WalletAnswer,
  WalletRequest,
  Wallets,
} from "./protocol.gen.js";

export type * from "./protocol.gen.js";

/** The version of the contract that this bundle was built for. */
export const PROTOCOL = 1;

export type ToPage = Snapshot | Events | Ack | WalletRequest;
export type PageEvent =
  | TextDelta
  | ThinkingDelta
  | ArgsDelta
  | TurnChanged
  | StepChanged
  | InvocationChanged
  | PathChanged;
type Act =
  | Send
  | EditMessage
  | Regenerate
  | Choose
  | Rate
  | Decide
  | Respond
  | Stop
  | Retry
  | Continue
  | Undo
  | EditCall
  | Reconcile
  | CheckCall
  | RetryCall
  | Revoke
  | WalletAnswer;
/** What is done with other chats; answered once it is done. */
type ShelfAct = OpenChat | NewChat | RenameChat | DeleteChat | TakeOver;
export type ToKernel =
  | Act
  | ShelfAct
  | Explain
  | ArgumentsForm
  | SessionLog
  | StepRequest
  | ListChats
  | ExportChat
  | Unfold
  | Resync
  | Ping
  | Painted
  | Wallets
  | Upload
  | DropUpload
  | FetchFile;
export type Phase = TurnHead["phase"];
export type InvocationState = InvocationView["state"];

type WithoutMid<R> = R extends ToKernel ? Omit<R, "mid" | "page" | "boot"> : never;

/** An act before it has got its `mid`, the run of numbers it is about and, where it names one, its page. */
export type Ask =
  | WithoutMid<Exclude<Act, Send>>
  | (Omit<Send, "mid" | "boot" | "files"> & { files?: string[] });
/** A message before the page's name is put on those that carry it. */
export type Sent = ToKernel extends infer R ? (R extends ToKernel ? Omit<R, "page"> : never) : never;
/** What is answered with data, before it has got its `mid`. */
export type Question = WithoutMid<
  | Explain
  | ArgumentsForm
  | SessionLog
  | StepRequest
  | ListChats
  | ExportChat
  | ShelfAct
  | Unfold
  | Upload
  | DropUpload
  | FetchFile
>;

/** The message in `content` when it is one of this contract; null for anything else on the same channel. */
export function readMessage(content: unknown): ToPage | null {
  if (!isObject(content)) return null;
  switch (content.type) {
    case "snapshot":
      return isString(content.boot) && isNumber(content.seq) && isObject(content.chat)
        ? (content as unknown as Snapshot)
        : null;
    case "events":
      return isString(content.boot) && isNumber(content.first) && Array.isArray(content.events)
        ? (content as unknown as Events)
        : null;
    case "ack":
      return isString(content.boot) && isString(content.mid) ? (content as unknown as Ack) : null;
    case "wallet_request":
      return isString(content.page) && isString(content.key) && isString(content.nonce)
        ? (content as unknown as WalletRequest)
        : null;
    default:
      return null;
  }
}

/** What an object holds itself under a name that others chose: `constructor` is a name like any other. */
export function own<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The end of every exhaustive `switch`: a new member of a union becomes a type error here. */
export function unreachable(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
