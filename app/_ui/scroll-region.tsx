import type { ReactNode, Ref } from 'react';

/** A part of a screen that scrolls by itself. It can be reached and scrolled by keys, and its label says what it is. */
export function ScrollRegion(props: {
  readonly label: string;
  readonly className?: string;
  readonly ref?: Ref<HTMLElement>;
  readonly children: ReactNode;
}) {
  return (
    <section
      ref={props.ref}
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
      tabIndex={0}
      className={props.className}
    >
      {props.children}
    </section>
  );
}
