// Draws a component again only when what it is given differs.

import { Component, type FunctionComponent, h } from "preact";

/** `isSame` compares two sets of props; without it, each by identity. */
export function memo<Props extends object>(
  draw: FunctionComponent<Props>,
  isSame: (before: Props, after: Props) => boolean = areSame,
) {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !isSame(this.props, next);
    }

    override render(props: Props) {
      return h(draw, props);
    }
  };
}

function areSame<Props extends object>(before: Props, after: Props): boolean {
  const names = Object.keys(after) as (keyof Props)[];
  return (
    names.length === Object.keys(before).length && names.every((name) => Object.is(before[name], after[name]))
  );
}
