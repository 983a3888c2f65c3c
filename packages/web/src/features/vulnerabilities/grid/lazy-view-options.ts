import { lazyComponent, nothingYet } from '../../../components/lazy-component.tsx'

export const ViewOptionsDialog = lazyComponent(
  async () => (await import('./view-options-dialog.tsx')).ViewOptionsDialog,
  nothingYet,
)
