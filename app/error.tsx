'use client';

import { ErrorState } from './_ui/states.tsx';

/** A screen that broke. What is archived is not touched by it. */
export default function ScreenError(props: {
  readonly error: Error & { readonly digest?: string };
  readonly reset: () => void;
}) {
  const failure = {
    message: 'A fault in the console itself. Agents and archive go on.',
    hint: 'Try again. If it stays, report it with the code below.',
    requestId: props.error.digest ?? '',
  };
  return <ErrorState title="This screen broke" failure={failure} retry={props.reset} />;
}
