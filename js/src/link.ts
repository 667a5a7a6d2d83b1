// The page's end of the line to the kernel: what is known of the chat, what was asked, and whether anybody answers.
//
// Requests carry a `mid` and stay pending until their acknowledgement; they are repeated with the same `mid`, which
// the kernel carries out once. Nothing here decides anything: the kernel's events do.

import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { Attachments } from "./attachments.js";
import {
  type Connection,
  isCellRunning,
  isCut,
  isSilent,
  kernelStatus,
  type Memory,
  type Model,
  type Surroundings,
} from "./host.js";
import { Outbox } from "./outbox.js";
import { Pace } from "./pace.js";
import { isSameMatter, isVisible, type Pending } from "./pending.js";
import {
  type Ack,
  type Ask,
  type Events,
  PROTOCOL,
  type Question,
  readMessage,
  type Sent,
  unreachable,
} from "./protocol.js";
import { Questions } from "./questions.js";
import { meaningOf } from "./silence.js";
import { applyEvents, applySnapshot, type ChatState } from "./state.js";
import { TIMES } from "./times.js";
import { Desk } from "./wallet/desk.js";

export type { Connection, Model, Surroundings };
export { TIMES };

// A snapshot is on its way; more than this is not waited for but asked again.
const MAX_HELD = 500;

const NAMES_PAGE: ReadonlySet<string> = new Set(["decide", "painted", "ping", "wallet_answer", "wallets"]);

export class Link {
  readonly state: Signal<ChatState | null> = signal(null);
  readonly pending: Signal<readonly Pending[]> = signal([]);
  readonly #phase: Signal<Connection> = signal("connecting");
  readonly connection: ReadonlySignal<Connection> = this.#phase;
  /** What was saved with the notebook is of another version of the contract: it cannot be drawn here. */
  readonly isOutdated: boolean = false;
  /** What the person writes; all views of a chat share it. */
  readonly outbox: Outbox;
  readonly model: Model;
  /** What this tab remembers over a reload of the page. */
  readonly memory: Memory;
  /** Files for the next message; all views of a chat share them. */
  readonly attachments: Attachments;

  /** Names this page as long as it is loaded: only it asks a wallet for what was approved in it. */
  readonly page: string;
  readonly desk: Desk;
  readonly pace: Pace;

  readonly #around: Surroundings;
  readonly #questions: Questions;
  /** When the kernel last said anything; until it does, when this was made. */
  #heard: number;
  #known = false;
  #stopResync: (() => void) | null = null;
  #held: Events[] = [];
  #beating = false;
  #closed = false;

  /** Registers its listeners before it returns: what the kernel says from now on is not lost. */
  constructor(model: Model, around: Surroundings) {
    this.model = model;
    this.memory = around;
    this.#around = around;
    this.#heard = around.now();
    this.#questions = new Questions(around, TIMES.repeat, {
      send: (question) => this.#send(question),
      isWaiting: () => isSilent(this.#phase.value),
      isOver: () => this.#closed || isCut(this.#phase.value),
    });
    this.attachments = new Attachments((question) => this.question(question), around.newId);
    this.outbox = new Outbox(this, around, this.attachments);
    this.page = around.newPage();
    this.pace = new Pace(this.state, around, (painted) => this.#send(painted));
    this.desk = new Desk(this.page, {
      ask: (ask) => this.ask(ask),
      tell: (wallets) => this.#send({ type: "wallets", mid: around.newId(), ...wallets }),
    });
    model.on("msg:custom", (content: unknown) => this.receive(content));
    model.on("comm_live_update", () => this.#checkComm());
    model.on("comm:close", () => this.#lose());
    model.on("destroy", () => this.close());
    const saved = readMessage(model.get("snapshot"));
    if (saved?.type === "snapshot") {
      this.isOutdated = saved.protocol !== PROTOCOL;
      if (!this.isOutdated) this.#take(applySnapshot(null, saved));
    }
    // The saved snapshot is the first thing to draw; events may have come since.
    this.resync();
  }

  /** Starts the hello and the heartbeat; called once something is on the page. */
  start(): void {
    if (this.#beating || this.#closed) return;
    this.#beating = true;
    this.#around.later(() => this.#beat(), TIMES.hello);
  }

  /** Stops timers; what is shown stays. */
  close(): void {
    this.#closed = true;
    this.outbox.close();
    this.desk.close();
    this.#stopResync?.();
    this.#phase.value = "lost";
  }

  /** Sends a request and keeps it pending; the same request asked twice, as by a double click, is sent once. */
  ask(ask: Ask): void {
    const waiting = this.pending.value.filter(
      (one) => !isSameMatter(one.ask, ask) || one.refused === undefined,
    );
    if (waiting.some((one) => isSameMatter(one.ask, ask))) return;
    if (ask.type === "decide" && ask.decision === "approve") this.desk.approved(ask.key);
    const mid = this.#around.newId();
    const { boot = "", chat } = this.state.value ?? {};
    const one = { mid, ask, boot, at: this.#around.now(), turns: chat?.turns.length ?? 0 };
    this.pending.value = [...waiting, one];
    this.#say(one);
    this.#around.later(() => this.#repeat(mid), TIMES.repeat);
  }

  #say({ mid, ask, boot }: Pending): void {
    // A wallet's answer belongs to its request, whatever is shown by now.
    this.#send({ ...ask, mid, ...(ask.type !== "wallet_answer" && { boot }) } as Sent);
  }

  /** Asks what only reads; resolves with the answer, rejects with the kernel's sentence or when nobody answers. */
  question(ask: Question): Promise<unknown> {
    return this.#questions.ask(ask);
  }

  /** Takes a refused request off the page. */
  dismiss(mid: string): void {
    this.pending.value = this.pending.value.filter((one) => one.mid !== mid);
  }

  /** Asks for a snapshot until one comes; asking while it is asked for does nothing. */
  resync(): void {
    if (this.#stopResync !== null || this.#closed) return;
    const attempt = (wait: number) => {
      this.#stopResync = this.#around.later(() => attempt(Math.min(wait * 2, 10_000)), wait);
      this.#send({ type: "resync", mid: this.#around.newId() });
    };
    attempt(TIMES.resync);
  }

  receive(content: unknown): void {
    const message = readMessage(content);
    if (message === null) return;
    this.#heard = this.#around.now();
    this.#known = true;
    batch(() => {
      if (this.#phase.value !== "mismatch") this.#phase.value = "live";
      switch (message.type) {
        case "snapshot":
          if (message.protocol !== PROTOCOL) {
            this.#phase.value = "mismatch";
            this.#endResync();
            return;
          }
          this.#take(applySnapshot(this.state.value, message));
          this.#endResync();
          this.#releaseHeld();
          break;
        case "events":
          this.#receiveEvents(message);
          break;
        case "ack":
          this.#receiveAck(message);
          break;
        case "wallet_request":
          this.desk.receive(message);
          break;
        default:
          unreachable(message);
      }
      this.#forgetDone();
    });
  }

  #receiveEvents(message: Events): void {
    const state = this.state.value;
    if (state === null || this.#take(applyEvents(state, message)) === "gap") {
      this.#held.push(message);
      if (this.#held.length > MAX_HELD) this.#held.shift();
      this.resync();
    }
  }

  #receiveAck(ack: Ack): void {
    this.#questions.answer(ack);
    this.pending.value = this.pending.value.map((one) => {
      if (one.mid !== ack.mid) return one;
      if (!ack.ok) return { ...one, refused: ack.message || "The kernel refused this." };
      this.#around.later(() => this.dismiss(ack.mid), TIMES.forget);
      return { ...one, accepted: true };
    });
    const state = this.state.value;
    if (state === null) return;
    if (ack.boot !== state.boot) this.resync();
    else if (ack.seq > state.seq) this.#around.later(() => this.#catchUp(ack), TIMES.behind);
  }

  /** The kernel spoke of events that have not come: they were dropped on the way. */
  #catchUp(ack: Ack): void {
    const state = this.state.value;
    if (state !== null && state.boot === ack.boot && state.seq < ack.seq) this.resync();
  }

  /** Applies what waited for the snapshot; a gap among it asks again. */
  #releaseHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const message of held) this.#receiveEvents(message);
  }

  #take(applied: ReturnType<typeof applyEvents>): "applied" | "stale" | "gap" {
    if (applied.kind === "applied") this.state.value = applied.state;
    return applied.kind;
  }

  /** Accepted requests go once what they caused is here. */
  #forgetDone(): void {
    const state = this.state.value;
    const left = this.pending.value.filter((one) => one.accepted === undefined || !isVisible(one, state));
    if (left.length !== this.pending.value.length) this.pending.value = left;
  }

  #endResync(): void {
    this.#stopResync?.();
    this.#stopResync = null;
  }

  #beat(): void {
    if (this.#closed) return;
    const asked = this.#around.now();
    this.#send({ type: "ping", mid: this.#around.newId() });
    this.#around.later(() => this.#judge(asked), TIMES.patience);
    this.#around.later(() => this.#beat(), this.#around.isHidden() ? TIMES.hiddenPing : TIMES.ping);
  }

  /** Milliseconds for which the kernel has said nothing. */
  silence(): number {
    return this.#around.now() - this.#heard;
  }

  /** Decides, some time after the kernel was asked, whether the line is alive. */
  #judge(asked: number): void {
    const phase = this.#phase.value;
    if (this.#closed || this.#heard >= asked || isCut(phase)) return;
    this.#phase.value = meaningOf({
      lasts: this.silence(),
      known: this.#known,
      status: kernelStatus(this.model),
      cellRuns: isCellRunning(this.model),
    });
  }

  #repeat(mid: string): void {
    const one = this.pending.value.find((candidate) => candidate.mid === mid);
    if (one === undefined || one.refused !== undefined || one.accepted !== undefined || this.#closed) return;
    this.#say(one);
    this.#judge(this.#around.now() - TIMES.patience);
    this.#around.later(() => this.#repeat(mid), TIMES.repeat);
  }

  #send(message: Sent): void {
    try {
      this.model.send(NAMES_PAGE.has(message.type) ? { ...message, page: this.page } : message);
    } catch {
      // Jupyter throws when the comm's kernel is gone.
      this.#lose();
    }
  }

  /** Jupyter says that the comm came or went, but not which: sending tells. */
  #checkComm(): void {
    this.#send({ type: "ping", mid: this.#around.newId() });
  }

  #lose(): void {
    if (this.#phase.value !== "mismatch") this.#phase.value = "lost";
  }
}
