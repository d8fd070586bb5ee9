/* forwarder.mjs - passes connections on to a control plane, and cuts them on demand. */
import net from "node:net";

/** Listens on a free port of loopback; `url` is what a browser opens in place of `target`. */
export async function startForwarder(target) {
    const { hostname, port } = new URL(target);
    const sockets = new Set();
    let isCut = false;
    const server = net.createServer((near) => {
        if (isCut) return void near.destroy();
        const far = net.connect(Number(port), hostname);
        for (const [one, other] of [
            [near, far],
            [far, near],
        ]) {
            sockets.add(one);
            one.on("error", () => other.destroy());
            one.on("close", () => {
                sockets.delete(one);
                other.destroy();
            });
            one.pipe(other);
        }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${server.address().port}`,
        cut() {
            isCut = true;
            for (const socket of sockets) socket.destroy();
        },
        mend() {
            isCut = false;
        },
        close() {
            this.cut();
            server.close();
        },
    };
}
