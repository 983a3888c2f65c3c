import { queries } from '../../data/api.ts'
import { hasShownOthers, sessionQuery } from '../../data/session.ts'

/** Opens a page as the user who has just signed in. Returns false when it loads a new document for that. */
export async function finishSignIn(userId: number, open: { to: string; navigate: Navigate }): Promise<boolean> {
  // Loads a new document, so that no data of another user remains in this one.
  if (hasShownOthers(userId)) {
    location.replace(open.to)
    return false
  }
  await queries.resetQueries(sessionQuery)
  open.navigate(open.to, { replace: true })
  return true
}

type Navigate = (to: string, options: { replace: boolean }) => void
