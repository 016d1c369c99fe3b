import manifest from '../../package.json' with { type: 'json' };

/** Version of the product, as its package file says. */
export const VERSION: string = manifest.version;
