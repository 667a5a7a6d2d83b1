// How far marks reach.

/**
 * A mark whose partner is not within so many characters is text. So an endless paragraph with a mark that is never
 * closed is read again from a little before its end, and not from that mark.
 */
export const REACH = 10_000;
