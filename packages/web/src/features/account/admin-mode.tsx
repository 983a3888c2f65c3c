import { Redirect } from 'wouter'
import { NotForYou } from '../../components/page/not-for-you.tsx'
import { ownAddress } from '../../data/own-address.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useSession } from '../../data/session.ts'

/** Page to enter admin mode. Redirects to the previous page afterwards. */
export function AdminMode() {
  const session = useSession()
  const [{ to = '/-/admin' }] = useSearchState(['to'])
  if (!session.is_admin) return <NotForYou session={session} />
  return <Redirect to={ownAddress(to, '/-/admin')} replace />
}
