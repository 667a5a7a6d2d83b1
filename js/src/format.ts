// Numbers and times as a person reads them.

/** `400 ms`, `1.2 s`, `12 s`, `3 min 20 s`, `2 h 5 min`; empty for less than nothing. */
export function duration(milliseconds: number): string {
  if (milliseconds < 0) return "";
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes === 0) return `${whole} s`;
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A clock time of the day in the person's own manner. */
export function clock(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/** A day and a time in the manner of a language, by default the person's own. */
export function dayAndTime(epochMilliseconds: number, language?: string): string {
  return new Date(epochMilliseconds).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
}

/** An amount of money in a currency of ISO 4217, with two digits that tell something: `$0.0021`. */
export function money(amount: number, currency: string): string {
  const maximumFractionDigits =
    amount > 0 && amount < 1 ? Math.min(8, 1 - Math.floor(Math.log10(amount))) : 2;
  try {
    return amount.toLocaleString([], { style: "currency", currency, maximumFractionDigits });
  } catch {
    return `${amount.toFixed(maximumFractionDigits)} ${currency}`;
  }
}

/** A long text without its middle: what stands at its end is not hidden. */
export function shortened(text: string): string {
  const letters = Array.from(text);
  return letters.length <= 240 ? text : `${letters.slice(0, 160).join("")} … ${letters.slice(-60).join("")}`;
}

/** Up to two letters that stand for a name: `DA` for `Demo agent`. */
export function initials(name: string): string {
  const parts = name.trim().split(/[\s_-]+/u);
  const letters = parts
    .map((part) => /[\p{L}\p{N}]/u.exec(part)?.[0] ?? "")
    .filter((letter) => letter !== "");
  return [letters[0], letters.length > 1 ? letters.at(-1) : ""].join("").toUpperCase() || "·";
}

/** A text as indented JSON when it is JSON, else as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The line of Python that shows a kept chat in any kernel. */
export function loadLine(chat: string): string {
  // A JSON string is a string of Python too.
  return `import bitte_nb as bn; chat = bn.Chat.load(${JSON.stringify(chat)}); chat`;
}

/** How a choice is said in words: `use get-user with name="a", count=2`. */
export function sayChoice(tool: string, args: Record<string, unknown>): string {
  const pairs = Object.entries(args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? `use ${tool}` : `use ${tool} with ${pairs.join(", ")}`;
}

/** `12 kB`, `3.4 MB`: decimal, as file managers count. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ["kB", "MB", "GB"];
  let size = bytes / 1_000;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000;
    unit += 1;
  }
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** An agent's id where it has no name: without the first `.vercel.app`. */
export function formatAgentId(id: string): string {
  return id.replace(".vercel.app", "");
}
