// How long the line to the kernel waits for what, in milliseconds.

export const TIMES = {
  hello: 800,
  ping: 5_000,
  hiddenPing: 30_000,
  /** Without an answer for so long the line is shown as waiting. */
  patience: 3_000,
  repeat: 4_000,
  /** Where nothing has ever answered, nobody is taken to be there after so long. */
  lost: 45_000,
  /** The same where the front end says that the kernel is idle, so that it would answer at once. */
  idleLost: 10_000,
  resync: 1_500,
  behind: 1_000,
  /** An accepted request whose effect never shows is forgotten. */
  forget: 5_000,
} as const;
