import { lazyComponent, nothingYet } from '../../../components/lazy-component.tsx'

export const SplitDialog = lazyComponent(async () => (await import('./split-dialog.tsx')).SplitDialog, nothingYet)
export const JoinDialog = lazyComponent(async () => (await import('./join-dialog.tsx')).JoinDialog, nothingYet)
export const FlawChangesDialog = lazyComponent(
  async () => (await import('./flaw-changes-dialog.tsx')).FlawChangesDialog,
  nothingYet,
)
