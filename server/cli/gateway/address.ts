import { CliFailure, EXIT } from '../failure.ts';

/** Where the local gateway listens if nobody says otherwise. */
export const DEFAULT_GATEWAY = 'http://127.0.0.1:4141';

/** The address of a gateway in one form: scheme and host, a path if it has one, no slash at its end. @throws CliFailure */
export function gatewayAddress(text: string): string {
  const valid = /^https?:\/\/[^/]/.test(text) && URL.canParse(text);
  const url = valid ? new URL(text) : null;
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new CliFailure(
      EXIT.usage,
      `${shownUrl(text)} is not the address of a gateway.`,
      `Give one such as ${DEFAULT_GATEWAY}, without query and user.`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** An address as it may be shown: without user, password, query and keys of ours. */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return withoutKeys(text);
  const url = new URL(text);
  if (url.username === '' && url.password === '' && url.search === '') return withoutKeys(text);
  return withoutKeys(`${url.protocol}//${url.host}${url.pathname}`);
}

/** A text that shows no key of ours, and whose addresses show neither user, password nor query. */
export function withoutSecrets(text: string): string {
  return withoutKeys(text)
    .replace(/((?:\\?\/){2})[^/\\@\s"']*@/g, '$1')
    .replace(/(:(?:\\?\/){2}[^\s"'?]*)\?[^\s"']*/g, '$1');
}

function withoutKeys(text: string): string {
  return text.replace(/\b(cm[kl])_[\w-]+/g, '$1_***');
}
