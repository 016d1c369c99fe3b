import { dollars } from '@/app/_lib/format.ts';

/** What a bar stands for. Amounts in dollars as decimal texts. */
export interface CostBar {
  readonly key: string;
  readonly label: string;
  readonly actual: string;
  /** Null: it could not be compared. */
  readonly direct: string | null;
  /** A layout was made here. */
  readonly mark: string | null;
}

const HEIGHT = 96;
const GAP = 2;

/**
 * Cost over time: each bar is what was paid, the line above or in it what would have been. The table under it says the same
 * in numbers.
 */
export function CostBars({ bars, label }: { readonly bars: readonly CostBar[]; readonly label: string }) {
  const highest = Math.max(...bars.flatMap(({ actual, direct }) => [Number(actual), Number(direct ?? 0)]), 0);
  if (bars.length === 0 || highest === 0) return null;
  const width = Math.max(4, Math.min(36, Math.floor(960 / bars.length)));
  const scale = (amount: string | null) => (Number(amount ?? 0) / highest) * (HEIGHT - 14);
  return (
    <figure className="shrink-0 overflow-x-auto border-b border-line px-4 py-3">
      <svg
        role="img"
        aria-label={label}
        width={bars.length * width}
        height={HEIGHT}
        viewBox={`0 0 ${bars.length * width} ${HEIGHT}`}
      >
        {bars.map((bar, at) => {
          const x = at * width;
          const paid = scale(bar.actual);
          const direct = HEIGHT - scale(bar.direct);
          return (
            <g key={bar.key}>
              <title>{wordsOf(bar)}</title>
              <rect x={x} y="0" width={width} height={HEIGHT} className="fill-transparent hover:fill-hover" />
              <rect
                x={x}
                y={HEIGHT - paid}
                width={Math.max(1, width - GAP)}
                height={paid}
                className="fill-accent"
              />
              {bar.direct === null ? null : (
                <line
                  x1={x}
                  x2={x + Math.max(1, width - GAP)}
                  y1={direct}
                  y2={direct}
                  strokeWidth="2"
                  className="stroke-past"
                />
              )}
              {bar.mark === null ? null : (
                <path
                  d={`M${x} 0h${Math.max(4, width - GAP)}l-${Math.max(4, width - GAP) / 2} 7z`}
                  className="fill-warn"
                />
              )}
            </g>
          );
        })}
      </svg>
      <figcaption className="mt-1 flex flex-wrap gap-x-4 text-sm text-faint">
        <span>
          <Swatch className="fill-accent" /> paid
        </span>
        <span>
          <Swatch className="fill-past" /> sent directly
        </span>
        {bars.some(({ mark }) => mark !== null) ? (
          <span>
            <Swatch className="fill-warn" /> a layout was made
          </span>
        ) : null}
        <span>highest {dollars(`${highest}`)}</span>
      </figcaption>
    </figure>
  );
}

function Swatch({ className }: { readonly className: string }) {
  return (
    <svg aria-hidden="true" width="8" height="8" viewBox="0 0 8 8" className="inline">
      <rect width="8" height="8" className={className} />
    </svg>
  );
}

function wordsOf({ label, actual, direct, mark }: CostBar): string {
  const compared = direct === null ? 'not compared' : `directly ${dollars(direct)}`;
  return `${label}: paid ${dollars(actual)}, ${compared}${mark === null ? '' : `, layout (${mark})`}`;
}
