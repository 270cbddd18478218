// The page for unknown addresses.
import { useStrings } from '../app.ts';
import { PageHead } from '../components/page-head.tsx';
import { href } from '../router.ts';

export function NotFoundPage() {
  const { common, locks } = useStrings();
  return <PageHead title={common.notFound} intro={common.notFoundText} up={{ href: href(), text: locks.title }} />;
}
