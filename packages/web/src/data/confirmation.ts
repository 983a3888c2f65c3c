import { RequestFailed } from '@alcove/client'
import { useSyncExternalStore } from 'react'
import { store } from './store.ts'

interface Confirmation {
  answer: Promise<boolean>
  /** Resolves `answer`: true when the user confirmed their identity. */
  finish: (isConfirmed: boolean) => void
}

const pending = store.slot<Confirmation | undefined>(() => undefined)

/** Returns true for the error that requires the user to enter their password again. */
export function needsConfirmation(error: unknown): boolean {
  return error instanceof RequestFailed && error.code === 'reauthentication_required'
}

/** Sends a request. If the server requires reauthentication, prompts for it and sends the request again. */
export async function withConfirmation<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!needsConfirmation(error) || !(await askForConfirmation())) throw error
    return send()
  }
}

/** Opens the identity dialog. Returns false when the user cancels. Concurrent requests share one dialog. */
export function askForConfirmation(): Promise<boolean> {
  const open = pending.get()
  if (open) return open.answer
  let finish: Confirmation['finish'] = () => {}
  const answer = new Promise<boolean>((resolve) => {
    finish = resolve
  })
  pending.set({ answer, finish })
  return answer
}

export function finishConfirmation(isConfirmed: boolean): void {
  pending.get()?.finish(isConfirmed)
  pending.set(undefined)
}

/** Returns true while the identity dialog is open. */
export function isConfirming(): boolean {
  return pending.get() !== undefined
}

export function useIsConfirming(): boolean {
  return useSyncExternalStore(pending.subscribe, isConfirming)
}
