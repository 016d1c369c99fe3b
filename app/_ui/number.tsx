import { byteSize, duration, integer, tokens } from '@/app/_lib/format.ts';

const WRITE = { integer, bytes: byteSize, ms: duration, tokens } as const;
const UNIT = { integer: '', bytes: ' bytes', ms: ' ms', tokens: ' tokens' } as const;

/** A number with its unit; the exact one on hover. Null is shown as a dash that says why. */
export function Num(props: {
  readonly value: number | null;
  readonly as?: keyof typeof WRITE;
  readonly missing?: string;
}) {
  const { value, as = 'integer', missing = 'not known' } = props;
  if (value === null) {
    return (
      <span title={missing} className="text-faint">
        –
      </span>
    );
  }
  return <span title={`${value}${UNIT[as]}`}>{WRITE[as](value)}</span>;
}
