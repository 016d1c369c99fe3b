import { Home } from './_home/home.tsx';

/** Where the console begins: connect an agent, then today's sessions. */
export default function HomePage() {
  return <Home />;
}
