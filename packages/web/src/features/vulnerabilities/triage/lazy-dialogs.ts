import { lazyComponent, nothingYet } from '../../../components/lazy-component.tsx'
import { lazyDialog } from '../../../components/overlay/lazy-dialog.tsx'

export const ActionDialog = lazyDialog(async () => (await import('./dialogs/action-dialog.tsx')).ActionDialog)
export const AssignDialog = lazyDialog(async () => (await import('./dialogs/assign-dialog.tsx')).AssignDialog)
export const PromotionDialog = lazyDialog(async () => (await import('./dialogs/promotion-dialog.tsx')).PromotionDialog)
export const CreateIssues = lazyComponent(
  async () => (await import('./dialogs/create-issues.tsx')).CreateIssues,
  nothingYet,
)
export const AcceptAll = lazyComponent(async () => (await import('./dialogs/accept-all.tsx')).AcceptAll, nothingYet)

const signs = ['pointermove', 'keydown', 'focusin'] as const

/** Fetches the code of the dialogs when the user first does something, so that it is there before they need it. */
export function preloadDialogs(): () => void {
  const fetch = () => {
    stop()
    // The dialog itself shows the error.
    for (const dialog of [ActionDialog, AssignDialog]) dialog.preload().catch(() => {})
  }
  const stop = () => {
    for (const sign of signs) removeEventListener(sign, fetch)
  }
  for (const sign of signs) addEventListener(sign, fetch, { passive: true })
  return stop
}
