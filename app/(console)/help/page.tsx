import { redirect } from 'next/navigation';

/** The help begins with its first page. */
export default function HelpPage(): never {
  redirect('/help/start');
}
