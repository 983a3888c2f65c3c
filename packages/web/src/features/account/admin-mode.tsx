import { Redirect } from 'wouter'
import { ownAddress } from '../../app/own-address.ts'
import { useSession } from '../../app/session.ts'
import { useSearchState } from '../../components/search-state.ts'
import { NotForYou } from '../admin/not-for-you.tsx'

/** Where administrators ask for their rights; then back to where they came from. */
export function AdminMode() {
  const session = useSession()
  const [{ to = '/-/admin' }] = useSearchState(['to'])
  if (!session.is_admin) return <NotForYou session={session} />
  return <Redirect to={ownAddress(to, '/-/admin')} replace />
}
