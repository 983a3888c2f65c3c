import { api } from './api.ts'
import { storeIsSignedIn } from './early-responses.ts'
import { forgetInvitation } from './invitation-link.ts'
import { signOutAtProvider } from './provider-sign-in.ts'
import { notifyOtherTabs } from './session.ts'
import { texts } from './texts.ts'
import { useToast } from './toasts.ts'

/** Returns a function that ends the session and leaves nothing of it in the browser. */
export function useSignOut(): () => Promise<void> {
  const toast = useToast()
  return async () => {
    try {
      const { url } = await api.call('DELETE /-/sessions', {})
      deleteDrafts()
      storeIsSignedIn({ user: null, must_set_up_second_factor: false })
      // Afterwards, because the page stores them when it is left.
      addEventListener('pagehide', () => sessionStorage.removeItem(neighborsKey))
      // The next user of this tab must not accept the invitation of another person.
      forgetInvitation()
      notifyOtherTabs()
      // Loads a new document. This one is emptied, because the browser may keep it in its back/forward cache.
      document.body.replaceChildren()
      addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
      if (url === null) location.assign('/')
      else signOutAtProvider(url)
    } catch (error) {
      toast({ text: texts.youAreStillSigned((error as Error).message), kind: 'error' }) // always an Error
    }
  }
}

/** Same as in `nouns/vulnerability/neighbors.ts`. */
const neighborsKey = 'alcove.neighbors'

/** Deletes unsent drafts and the names of unfinished uploads, so that the next user of this browser cannot read them. */
function deleteDrafts(): void {
  for (const key of Object.keys(localStorage)) if (/^(alcove-pad-|tus::)/.test(key)) localStorage.removeItem(key)
}
