import { RequestFailed } from '@alcove/client'
import { useSyncExternalStore } from 'react'

/** Resolves the pending confirmation: true when the user confirmed their identity. */
let finish: ((isConfirmed: boolean) => void) | undefined
let pending: Promise<boolean> | undefined
const listeners = new Set<() => void>()

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

/** Returns true while the identity dialog is open. */
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
