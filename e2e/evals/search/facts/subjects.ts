import type { Random } from '../random.ts';

/** Parts of a system, each under its name and as somebody tells of it who does not remember the name. */
export const SUBSYSTEMS = [
  ['invoice exporter', 'the thing that writes invoices out'],
  ['thumbnail service', 'the part that makes small pictures'],
  ['login throttle', 'the brake on sign-ins'],
  ['search crawler', 'the crawler for search'],
  ['payment webhook', 'the hook that payments call'],
  ['nightly backup', 'the backup that runs at night'],
  ['mail digest', 'the digest mails'],
  ['quota meter', 'the meter for quotas'],
  ['upload gateway', 'the gateway for uploads'],
  ['session store', 'where sessions are stored'],
  ['coupon engine', 'the engine behind coupons'],
  ['audit trail', 'the trail of audits'],
  ['feature toggle panel', 'the panel with feature toggles'],
  ['tax calculator', 'the calculation of taxes'],
  ['locale loader', 'the loading of locales'],
  ['shipment tracker', 'the tracking of shipments'],
  ['price feed', 'the feed with prices'],
  ['captcha gate', 'the gate with the captcha'],
  ['report scheduler', 'the scheduling of reports'],
  ['avatar cropper', 'the cropping of avatars'],
  ['chat relay', 'the relay for chats'],
  ['stock ledger', 'the ledger of stock'],
  ['vendor portal', 'the portal for vendors'],
  ['map tile cache', 'the cached map tiles'],
] as const;

/** Who took part. */
export const PEOPLE = [
  'Ines',
  'Bogdan',
  'Marit',
  'Tomasz',
  'Wanjiru',
  'Kaoru',
  'Leila',
  'Pieter',
  'Sunniva',
  'Dmitri',
  'Aoife',
  'Rafael',
];

/** A number of one to three digits. */
export const number = (random: Random) => String(3 + random.below(997));
