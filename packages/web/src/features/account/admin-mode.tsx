import { Redirect } from 'wouter'
import { NotForYou } from '../../components/not-for-you.tsx'
import { ownAddress } from '../../data/own-address.ts'
import { useSearchState } from '../../data/search-state.ts'
import { useSession } from '../../data/session.ts'

/** Where administrators ask for their rights; then back to where they came from. */
export function AdminMode() {
  const session = useSession()
  const [{ to = '/-/admin' }] = useSearchState(['to'])
  if (!session.is_admin) return <NotForYou session={session} />
  return <Redirect to={ownAddress(to, '/-/admin')} replace />
}
