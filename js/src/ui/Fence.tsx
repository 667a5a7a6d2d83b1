// A fault while drawing one thing never takes the rest with it.

import { Component, type ComponentChildren } from "preact";

interface FenceProps {
  /** What is drawn in place of what cannot be. */
  instead: (error: string) => ComponentChildren;
  children: ComponentChildren;
}

export class Fence extends Component<FenceProps, { error: string }> {
  override state = { error: "" };

  override componentDidCatch(error: unknown): void {
    this.setState({ error: String(error) });
  }

  override render() {
    return this.state.error === "" ? this.props.children : this.props.instead(this.state.error);
  }
}
