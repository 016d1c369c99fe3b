import { integer } from '@/app/_lib/format.ts';
import { Well, Words } from '@/app/_ui/words.tsx';

/** A text of ours as it is kept; what a person typed in it is masked here alone. */
export function KeptText({ text, masked }: { readonly text: string | null; readonly masked: number }) {
  if (text === null)
    return <p className="pt-1 text-soft">Words in it were deleted, so it cannot be shown any more.</p>;
  return (
    <>
      {masked === 0 ? null : (
        <p className="pt-1 text-sm text-warn">
          {masked === 1 ? 'One typed text holds' : `${integer(masked)} typed texts hold`} a secret or an
          e-mail address: masked here, and sent as it was typed.
        </p>
      )}
      <Well label="Text">
        <Words text={text} />
      </Well>
    </>
  );
}
