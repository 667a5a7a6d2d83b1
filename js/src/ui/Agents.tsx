// Who speaks, and how the conversation passes from one agent to another.

import { formatAgentId, initials } from "../format.js";
import { type AgentView, type InvocationView, isObject, type StepView } from "../protocol.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Revealed } from "./Revealed.js";

/** The agent of that id as the chat knows it now; reading it does not draw the caller again. */
export function useAgents(): { named: (id: string) => string; find: (id: string) => AgentView | undefined } {
  const { link } = useSurface();
  const agents = link.state.peek()?.chat.agents ?? [];
  const find = (id: string) => agents.find((one) => one.agent === id);
  return { find, named: (id) => find(id)?.name || formatAgentId(id) };
}

export function Author({ agent, id }: { agent: AgentView | undefined; id: string }) {
  const shown = agent?.name || formatAgentId(id);
  return (
    <div class="bnb-author" data-bnb-agent={id}>
      <Avatar name={shown} image={agent?.image ?? ""} />
      <span class="bnb-author-name">
        <Revealed text={shown} />
      </span>
    </div>
  );
}

/** Initials, or a picture that the kernel sent with the chat: drawing one asks nobody for anything. */
export function Avatar({ name, image = "" }: { name: string; image?: string }) {
  return (
    <span class="bnb-avatar" aria-hidden="true">
      {image.startsWith("data:image/") ? <img class="bnb-avatar-image" src={image} alt="" /> : initials(name)}
    </span>
  );
}

/** One agent gives the conversation to another. */
export function HandOff({ view }: { view: InvocationView }) {
  const { words } = useSurface();
  const { named } = useAgents();
  const data = isObject(view.result?.data) ? view.result.data : {};
  const to = typeof data.agent === "string" ? data.agent : "";
  const reason = typeof data.reason === "string" ? data.reason : "";
  return (
    <p class="bnb-turn-note bnb-handoff" data-bnb-call={view.key} data-bnb-state={view.state}>
      <Icon name="chevron" /> <Revealed text={words.handedOver(named(view.agent), named(to), reason)} />
    </p>
  );
}

/** What of the chat the model was not given for this step. */
export function LeftOut({ step, before }: { step: StepView; before: StepView | undefined }) {
  const { words } = useSurface();
  const same = before?.left_out === step.left_out && before.shortened === step.shortened;
  if (same || (step.left_out === 0 && step.shortened === 0)) return null;
  return (
    <p class="bnb-turn-note bnb-left-out">
      <Icon name="info" /> <span>{words.leftOut(step.left_out, step.shortened)}</span>
    </p>
  );
}
