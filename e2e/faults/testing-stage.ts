import { type Product, removeHome, scratchHome, startProduct } from './product.ts';
import { type Provider, startProvider } from './provider.ts';
import { type OperatorStore, operatorStore } from './testing-store.ts';

/** A provider, an operator's database that can be cut off, and the product between them. */
export interface Stage {
  readonly provider: Provider;
  readonly store: OperatorStore;
  readonly product: Product;
  /**
   * Lets go of what is held and ends all of it.
   * @param signal what ends the product
   */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a {@link Stage}. */
export async function startStage(): Promise<Stage> {
  const [provider, store, home] = await Promise.all([startProvider(), operatorStore(), scratchHome()]);
  const endOthers = async () => {
    await provider.stop();
    await store.stop();
    await removeHome(home);
  };
  try {
    const product = await startProduct({ home, provider: provider.url, databaseUrl: store.url });
    return {
      provider,
      store,
      product,
      async end(signal = 'SIGTERM') {
        provider.release();
        store.line.resume();
        await product.end(signal);
        await endOthers();
      },
    };
  } catch (error) {
    await endOthers();
    throw error;
  }
}
