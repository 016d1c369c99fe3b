/** Tailwind is the one style processor. */
export default { plugins: { '@tailwindcss/postcss': {} } };
