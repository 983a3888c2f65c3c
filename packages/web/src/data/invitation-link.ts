import { useEffect, useState } from 'react'

export const invitationPath = '/-/invitation'

/** Key under which the tab keeps the secret of a link while the user signs in. */
const storageKey = 'alcove-invitation'

/** Returns the link of an invitation. Its secret is in the fragment, which browsers send to no server. */
export function invitationLink(secret: string): string {
  return `${location.origin}${invitationPath}#${secret}`
}

/**
 * Returns the secret of the opened link, or '' without one. The tab keeps it until `forgetInvitation`, because the
 * addresses that lead back from a sign-in are sent to the server.
 */
export function useInvitationSecret(): string {
  const [secret, setSecret] = useState(readSecret)
  useEffect(() => {
    if (secret !== '') sessionStorage.setItem(storageKey, secret)
  }, [secret])
  useEffect(() => {
    // Opening another link in the same tab loads no new document.
    const update = () => setSecret(readSecret())
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return secret
}

function readSecret(): string {
  return location.hash.slice(1) || (sessionStorage.getItem(storageKey) ?? '')
}

/** Returns true while the tab keeps an invitation that the user has opened and not accepted. */
export function hasOpenInvitation(): boolean {
  return sessionStorage.getItem(storageKey) !== null
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(storageKey)
}
