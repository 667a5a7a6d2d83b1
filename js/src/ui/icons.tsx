// Line icons on a grid of 16; each is decoration beside a word that says the same.

const PATHS = {
  check: "M3 8.5l3.2 3.2L13 4.8",
  cross: "M4 4l8 8M12 4l-8 8",
  clock: "M8 4.5V8l2.3 1.6M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z",
  question: "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.3M8 11.6v.1M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z",
  warning: "M8 2.2l6.2 11.1H1.8zM8 6.5v3.1M8 11.5v.1",
  stop: "M4.5 4.5h7v7h-7z",
  send: "M8 13V3.4M3.8 7.4L8 3.2l4.2 4.2",
  undo: "M3 6.5h6.2a3.3 3.3 0 0 1 0 6.6H6M3 6.5l2.8-2.8M3 6.5l2.8 2.8",
  retry: "M13 8a5 5 0 1 1-1.6-3.7M13 2.6V5h-2.4",
  minus: "M3.5 8h9",
  shield: "M8 1.9l5 1.9v3.9c0 3-2.1 5.2-5 6.4-2.9-1.2-5-3.4-5-6.4V3.8zM5.8 8l1.6 1.6 2.9-3",
  chevron: "M6 3.8L10.2 8 6 12.2",
  down: "M8 3v9.5M4 8.7l4 4 4-4",
  pen: "M3 13l.7-2.8 6.9-6.9 2.1 2.1-6.9 6.9z",
  chats: "M2.5 3.5h11v7.5h-6L4.6 13.4V11H2.5zM5 6.2h6M5 8.4h4",
  plus: "M8 3.2v9.6M3.2 8h9.6",
  trash: "M3 4.5h10M6.2 4.5V3h3.6v1.5M4.4 4.5l.6 8.5h6l.6-8.5M6.8 7v3.6M9.2 7v3.6",
  thumb:
    "M2.5 7.2h2.3v6H2.5zM4.8 7.6l2.6-5c1 0 1.6.8 1.4 1.8L8.4 6.5h3.7c.9 0 1.5.8 1.3 1.6l-1 4.1c-.1.6-.7 1-1.3 1H4.8",
  clip: "M12.6 7.4l-5 5a3 3 0 0 1-4.3-4.3l5.4-5.3a2 2 0 0 1 2.9 2.8L6.4 11a1 1 0 0 1-1.5-1.4l4.6-4.6",
  info: "M8 7.3v4M8 4.7v.1M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z",
  copy: "M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z",
  open: "M6.5 3.5H3v9.5h9.5V9.5M9 3h4v4M13 3L7.5 8.5",
  link: "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.9-.9",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="bnb-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** Three quiet dots, or a ring: something is going on. */
export function Spinner() {
  return <span class="bnb-spinner" aria-hidden="true" />;
}
