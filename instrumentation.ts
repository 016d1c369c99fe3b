/**
 * Starts the process's services where Next runs alone. Under the product's own server they stand already. The built
 * file is loaded as it is and not bundled: it holds the database and the gateway.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { startServices } = await import('./app/_lib/start-services.ts');
  await startServices();
}
