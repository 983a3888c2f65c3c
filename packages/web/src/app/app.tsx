import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { ToastProvider } from '../components/overlay/toast.tsx'
import { queries } from '../data/api.ts'
import { Shell } from './shell.tsx'

export function App() {
  return (
    // The Content-Security-Policy of the page forbids style elements.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <ToastProvider>
          <Shell />
        </ToastProvider>
      </QueryClientProvider>
    </CSPProvider>
  )
}
