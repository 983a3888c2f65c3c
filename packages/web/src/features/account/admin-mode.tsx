import { Redirect } from 'wouter'
import { ownAddress } from '../../data/own-address.ts'
import { useSearchState } from '../../data/search-state.ts'

/** Redirects to the previous page once the user has entered admin mode, which the screen requires. */
export function AdminMode() {
  const [{ to = '/-/admin' }] = useSearchState(['to'])
  return <Redirect to={ownAddress(to, '/-/admin')} replace />
}
