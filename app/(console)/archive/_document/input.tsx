import { Well, Words } from '@/app/_ui/words.tsx';
import { inputFields } from './input-fields.ts';
import { LongText } from './long-text.tsx';

/** Characters up to which a value stands beside its name instead of under it. */
const SHORT = 100;
/** Characters up to which a value is built whole. */
const WHOLE = 8000;

/** What a tool was called with: short values in one list, long ones each in a block of their own. */
export function ToolInput(props: { readonly json: string; readonly find: string; readonly now?: boolean }) {
  const { json, find, now = false } = props;
  const fields = inputFields(json);
  if (fields === null || fields.length === 0) {
    return json.length > WHOLE ? (
      <LongText label="Input" text={json} find={find} />
    ) : (
      <Well label="Input">
        <Words text={json} find={find} now={now} />
      </Well>
    );
  }
  const isShort = (value: string) => value.length <= SHORT && !value.includes('\n');
  const short = fields.filter(([, value]) => isShort(value));
  const long = fields.filter(([, value]) => !isShort(value));
  return (
    <>
      {short.length === 0 ? null : (
        <dl className="my-1 grid grid-cols-[max-content_1fr] gap-x-4 rounded-md border border-line bg-sunken px-3 py-1.5 font-mono text-sm leading-[18px]">
          {short.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-faint">{name}</dt>
              <dd className="wrap-text min-w-0">
                <Words text={value} find={find} now={now} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {long.map(([name, value]) =>
        value.length > WHOLE ? (
          <LongText key={name} label={name} text={value} find={find} />
        ) : (
          <Well key={name} label={name}>
            <Words text={value} find={find} now={now} />
          </Well>
        ),
      )}
    </>
  );
}
