import { RequestFailed } from '@alcove/client'
import { useSyncExternalStore } from 'react'

/** Ends the wait for the user's password: true when it was confirmed. */
let finish: ((isConfirmed: boolean) => void) | undefined
let pending: Promise<boolean> | undefined
const listeners = new Set<() => void>()

/** True for the server's refusal of a browser whose user has not entered the password lately. */
export function needsConfirmation(error: unknown): boolean {
  return error instanceof RequestFailed && error.code === 'reauthentication_required'
}

/** Sends a request; when the server wants the password first, asks for it and sends the request once more. */
export async function withConfirmation<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!needsConfirmation(error) || !(await askForConfirmation())) throw error
    return send()
  }
}

/** Shows the dialog for the password. False when the user cancels. Several requests share one dialog. */
export function askForConfirmation(): Promise<boolean> {
  pending ??= new Promise<boolean>((resolve) => {
    finish = resolve
    notify()
  })
  return pending
}

export function finishConfirmation(isConfirmed: boolean): void {
  finish?.(isConfirmed)
  finish = undefined
  pending = undefined
  notify()
}

/** Whether the dialog for the password is shown, in front of any other. */
export function isConfirming(): boolean {
  return finish !== undefined
}

export function useIsConfirming(): boolean {
  return useSyncExternalStore(subscribe, isConfirming)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function notify(): void {
  for (const listener of listeners) listener()
}
