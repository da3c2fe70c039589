// A heart-rate sensor that is chosen once, and connected to again whenever its connection ends by itself.

import {parseLocation, parseMeasurement} from "./heart-rate.js";

const RETRY_AFTER = [0.5, 1, 2, 4, 8]; // seconds; the last one for all further attempts
const SILENCE = 6; // seconds without a value after which the page asks the sensor for its service again

/**
 * Events: "state" with `detail` {state, text}; "measurement" with what parseMeasurement returns; "location" with a
 * text; "problem" with a text for people, or null when it is over.
 *
 * States: idle, choosing, connecting, connected, reconnecting, and silent: connected, but the service does not answer.
 */
export class HeartRateMonitor extends EventTarget {
  state = "idle";
  #device = null;
  #characteristic = null;
  #wasConnected = false;
  #attempt = 0;
  #timer = 0;

  get name() {
    return this.#device?.name ?? "unnamed sensor";
  }

  /** Asks the person for a sensor and connects to it. To be called from a click. */
  async choose() {
    this.#tell("problem", null);
    this.#set("choosing", "Choosing a sensor");
    let device;
    try {
      device = await navigator.bluetooth.requestDevice({filters: [{services: ["heart_rate"]}]});
    } catch (error) {
      this.#set("idle", "Not connected");
      this.#tell("problem", error.name === "NotFoundError" ? "No sensor was chosen." : error.message);
      return;
    }
    this.#device = device;
    device.addEventListener("gattserverdisconnected", this.#onDisconnected);
    this.#set("connecting", `Connecting to ${this.name}`);
    await this.#connect();
  }

  /** Ends the connection, and does not come back. */
  disconnect() {
    clearTimeout(this.#timer);
    const device = this.#device;
    this.#device = null;
    this.#forgetCharacteristic();
    device?.removeEventListener("gattserverdisconnected", this.#onDisconnected);
    device?.gatt.disconnect();
    this.#tell("problem", null);
    this.#set("idle", "Not connected");
  }

  async #connect() {
    const device = this.#device;
    try {
      const server = await device.gatt.connect();
      const service = await server.getPrimaryService("heart_rate");
      const measurement = await service.getCharacteristic("heart_rate_measurement");
      if (device !== this.#device) return;
      this.#characteristic = measurement;
      measurement.addEventListener("characteristicvaluechanged", this.#onValue);
      // When BlueZ (5.66) comes back to a sensor, it turns notifications on again by itself. Chromium 156 does not ask
      // for them then, and passes no value on, unless they are off first.
      if (this.#wasConnected) await measurement.stopNotifications().catch(() => {});
      await measurement.startNotifications();
      if (device !== this.#device) return;
      this.#attempt = 0;
      this.#wasConnected = true;
      this.#tell("problem", null);
      this.#set("connected", "Connected");
      this.#expectValue();
      const location = await service.getCharacteristic("body_sensor_location").catch(() => null);
      if (location) this.#tell("location", parseLocation(await location.readValue()));
    } catch (error) {
      if (device === this.#device) this.#tryAgain(error);
    }
  }

  #tryAgain(error) {
    this.#forgetCharacteristic();
    if (this.#device.gatt.connected && error.name === "NotFoundError") {
      this.#tell("problem", `${this.name} no longer offers a heart rate. It is asked again.`);
      this.#set("silent", "No heart rate");
    } else {
      this.#tell("problem", `${this.name} cannot be reached: ${error.message}`);
      this.#set("reconnecting", `Reconnecting to ${this.name}`);
    }
    this.#later(RETRY_AFTER[Math.min(this.#attempt++, RETRY_AFTER.length - 1)], () => this.#connect());
  }

  #onDisconnected = () => {
    this.#forgetCharacteristic();
    this.#set("reconnecting", `Reconnecting to ${this.name}`);
    this.#later(RETRY_AFTER[0], () => this.#connect());
  };

  #onValue = event => {
    this.#expectValue();
    try {
      this.#tell("measurement", parseMeasurement(event.target.value));
    } catch {
      this.#tell("problem", `${this.name} has sent a value that is no heart rate.`);
    }
  };

  // A service that is gone ends no connection: its values just stop.
  #expectValue() {
    this.#later(SILENCE, () => {
      this.#forgetCharacteristic();
      this.#connect();
    });
  }

  #forgetCharacteristic() {
    this.#characteristic?.removeEventListener("characteristicvaluechanged", this.#onValue);
    this.#characteristic = null;
  }

  #later(seconds, action) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, seconds * 1000);
  }

  #set(state, text) {
    this.state = state;
    this.#tell("state", {state, text});
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, {detail}));
  }
}
