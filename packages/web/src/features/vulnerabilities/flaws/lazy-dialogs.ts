import { lazyDialog } from '../../../components/overlay/lazy-dialog.tsx'

export const SplitDialog = lazyDialog(async () => (await import('./split-dialog.tsx')).SplitDialog)
export const JoinDialog = lazyDialog(async () => (await import('./join-dialog.tsx')).JoinDialog)
export const FlawChangesDialog = lazyDialog(async () => (await import('./flaw-changes-dialog.tsx')).FlawChangesDialog)
