import { defineConfig } from 'prisma/config';

// Read by Prisma's own command alone; the product applies the same migrations by itself.
// An address is only needed to run that command's `migrate deploy` against a PostgreSQL of one's own.
const url = process.env.DATABASE_URL;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  ...(url ? { datasource: { url } } : {}),
});
