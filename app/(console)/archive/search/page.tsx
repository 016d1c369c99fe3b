import type { Metadata } from 'next';
import { SearchScreen } from './search-screen.tsx';

export const metadata: Metadata = { title: 'Search' };

/** Search over everything that is archived. */
export default function SearchPage() {
  return <SearchScreen />;
}
