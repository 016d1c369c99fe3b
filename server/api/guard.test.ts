import { expect, it } from 'vitest';
import {
  type Caller,
  CONSOLE_COOKIE,
  CONSOLE_HEADER,
  callerOf,
  changeRefusalOf,
  refusalOf,
} from './guard.ts';

const script: Caller = { host: '127.0.0.1:4141', origin: null, fetchSite: null, cookie: null, token: null };
const token = 'x'.repeat(43);
const page: Caller = {
  ...script,
  origin: 'http://127.0.0.1:4141',
  fetchSite: 'same-origin',
  cookie: token,
  token,
};

it('a call without a host is no call of this machine', () => {
  expect(refusalOf({ ...script, host: null }, undefined)).not.toBeNull();
});

it('a script on this machine reads and changes without a key', () => {
  expect(refusalOf(script, undefined)).toBeNull();
  expect(changeRefusalOf(script, undefined)).toBeNull();
});

it('another web page reads nothing, whichever header gives it away', () => {
  expect(refusalOf({ ...page, origin: 'https://evil.example' }, undefined)).not.toBeNull();
  expect(refusalOf({ ...page, origin: 'http://127.0.0.1:9999' }, undefined)).not.toBeNull();
  expect(refusalOf({ ...page, origin: 'null' }, undefined)).not.toBeNull();
  expect(refusalOf({ ...script, fetchSite: 'cross-site' }, undefined)).not.toBeNull();
  expect(refusalOf({ ...script, host: 'rebound.example' }, undefined)).not.toBeNull();
});

it("a change from a browser needs the cookie and the page's own repetition of it", () => {
  expect(changeRefusalOf(page, undefined)).toBeNull();
  expect(changeRefusalOf({ ...page, token: null }, undefined)).not.toBeNull();
  expect(changeRefusalOf({ ...page, cookie: null }, undefined)).not.toBeNull();
  expect(changeRefusalOf({ ...page, cookie: '', token: '' }, undefined)).not.toBeNull();
  expect(changeRefusalOf({ ...page, token: 'y'.repeat(43) }, undefined)).not.toBeNull();
});

it('with a public address that address alone is ours', () => {
  const own = 'https://context.example';
  expect(refusalOf({ ...page, host: 'context.example', origin: own }, own)).toBeNull();
  expect(refusalOf(page, own)).not.toBeNull();
  expect(
    refusalOf({ ...page, host: 'context.example', origin: 'http://context.example' }, own),
  ).not.toBeNull();
});

it('the cookie is found among others and never in the name of another', () => {
  const headers = new Headers({
    cookie: `a=1; not-${CONSOLE_COOKIE}=no; ${CONSOLE_COOKIE}=abc=; b=2`,
    [CONSOLE_HEADER]: 'abc=',
  });
  expect(callerOf(headers)).toMatchObject({ cookie: 'abc=', token: 'abc=' });
});
