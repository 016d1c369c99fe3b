import Link from 'next/link';

/** An address that leads nowhere. */
export default function NotFound() {
  return (
    <main className="px-4 py-8">
      <h1 className="text-lg font-strong">There is nothing at this address</h1>
      <p className="mt-1 text-soft">
        It may have been deleted, or the address was cut off when it was copied. The{' '}
        <Link href="/archive" className="text-accent underline">
          archive
        </Link>{' '}
        lists every session, and{' '}
        <Link href="/" className="text-accent underline">
          Home
        </Link>{' '}
        is where the console begins.
      </p>
    </main>
  );
}
