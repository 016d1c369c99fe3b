import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { cx } from '@/app/_ui/cx.ts';
import { ScrollRegion } from '@/app/_ui/scroll-region.tsx';
import { Page } from '../../_frame/page.tsx';
import { HELP_PAGES } from '../pages.tsx';

interface HelpProps {
  readonly params: Promise<{ readonly page: string }>;
}

const READING = cx(
  'max-w-[72ch] text-lg [&_h2]:mt-5 [&_h2]:mb-1 [&_h2]:font-strong [&_p]:my-2 [&_p]:text-text',
  '[&_ul]:my-2 [&_ul]:list-disc [&_ul]:space-y-1 [&_ul]:pl-5 [&_a]:text-accent [&_a]:underline',
);

/** The title of the page that is asked for. */
export async function generateMetadata({ params }: HelpProps): Promise<Metadata> {
  const { page } = await params;
  return { title: HELP_PAGES.find((one) => one.slug === page)?.title ?? 'Help' };
}

/** One page of the help beside the list of all. */
export default async function HelpPage({ params }: HelpProps) {
  const { page: slug } = await params;
  const page = HELP_PAGES.find((one) => one.slug === slug);
  if (page === undefined) notFound();
  return (
    <Page title={page.title} parent={{ href: '/help', label: 'Help' }}>
      <div className="flex min-h-0 flex-1 max-md:flex-col">
        <nav aria-label="Help pages" className="shrink-0 border-line p-2 max-md:border-b md:w-60 md:border-r">
          <ul className="max-md:flex max-md:flex-wrap">
            {HELP_PAGES.map((one) => (
              <li key={one.slug}>
                <Link
                  href={`/help/${one.slug}`}
                  aria-current={one.slug === slug ? 'page' : undefined}
                  className={cx(
                    'block rounded-md px-2 py-1.5',
                    one.slug === slug ? 'bg-hover font-strong' : 'text-soft hover:bg-hover hover:text-text',
                  )}
                >
                  {one.title}
                  <span className="block text-sm font-normal text-faint max-md:hidden">{one.about}</span>
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <ScrollRegion label={page.title} className="min-h-0 flex-1 overflow-auto px-6 pt-2 pb-12">
          <div className={READING}>{page.body}</div>
        </ScrollRegion>
      </div>
    </Page>
  );
}
