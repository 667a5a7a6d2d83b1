// The log of a turn's session as a table: when, what it became, which attempt, and why.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isObject, type SessionPart } from "../protocol.js";
import { placeSheet } from "../styles/place.js";
import sessionCss from "../styles/session.css?inline";
import { useSurface } from "./context.js";
import { Spinner } from "./icons.js";
import { Revealed } from "./Revealed.js";

export function SessionLog({ turn }: { turn: number }) {
  const { link, words } = useSurface();
  const said = words.log;
  const root = useRef<HTMLDivElement>(null);
  const [parts, setParts] = useState<SessionPart[] | null>(null);
  const [fault, setFault] = useState("");
  useLayoutEffect(() => {
    if (root.current !== null) placeSheet(root.current, "session", sessionCss);
  }, []);
  useEffect(() => {
    link
      .question({ type: "session_log", turn })
      .then((answer) => setParts(readParts(answer)))
      .catch((error: Error) => setFault(error.message || words.noAnswer));
  }, [link, turn, words]);
  const start = parts?.[0]?.at ?? 0;
  return (
    <div ref={root} class="bnb-session-log">
      {fault !== "" && <p class="bnb-note">{fault}</p>}
      {parts === null && fault === "" && <Spinner />}
      {parts !== null && (
        <table>
          <thead>
            <tr>
              {said.heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {parts.map((part, index) => (
              <tr key={index} data-bnb-phase={part.phase}>
                <td class="bnb-session-ms">{(part.at - start).toLocaleString(words.language)}</td>
                <td>
                  {said.phases[part.phase] ?? part.phase} <code class="bnb-faint">{part.event}</code>
                </td>
                <td>{part.attempt}</td>
                <td>
                  <Revealed text={part.reason} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

/** The parts in the kernel's answer; what is none is left out. */
function readParts(answer: unknown): SessionPart[] {
  return Array.isArray(answer)
    ? answer.filter((one): one is SessionPart => isObject(one) && typeof one.at === "number")
    : [];
}
