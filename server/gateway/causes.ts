import type { RefusalCause } from './refuse.ts';

/** Refusals that both faces of the gateway make, Node's own HTTP and the web handler. */

/** What a request of a foreign host or page is told, by the guard's reason. */
export const FOREIGN = {
  foreign_host:
    'This gateway answers on this machine only: the Host header must be localhost or a loopback address.',
  foreign_origin: 'This gateway does not answer to pages of other origins.',
} as const;

/** A path whose dot segments leave the configured base path. */
export const CLIMBS_OUT: RefusalCause = {
  code: 'bad_request',
  reason: 'bad_target',
  message: 'The path leaves the folder that this door leads to. Remove its dot segments.',
};

/** The words of the agents' own reading of a 413 are kept: "Request too large (max 32MB)". */
export const TOO_LARGE: RefusalCause = {
  code: 'too_large',
  reason: 'too_large',
  message: 'Request exceeds the maximum size: the gateway, like the provider, takes at most 32 MB.',
  close: true,
};
