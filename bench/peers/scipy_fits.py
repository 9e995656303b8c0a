"""Global 1:1 fits of the same data by scipy's least_squares with the analytic Jacobian, from as many starts.

Reads {"association_s", "concentrations_m", "time_s", "sets": [[signal per curve]]} from stdin; writes
{"version", "ms": [per set], "kd_m": [per set]} to stdout. All parameters at once: ln kon, ln koff and one Rmax per curve.
"""
import json
import sys
import time

import numpy as np
import scipy
from scipy.optimize import least_squares

data = json.load(sys.stdin)
t = np.array(data["time_s"])
c = np.array(data["concentrations_m"])[:, None]
t_a = data["association_s"]
on = t <= t_a
curves, points = len(c), len(t)


def shapes(ln_kon, ln_koff):
    u = np.exp(ln_kon) * c
    koff = np.exp(ln_koff)
    k = u + koff
    a = u / k
    slope = a * (1 - a)
    held = np.minimum(t, t_a)
    decay = np.exp(-k * held)
    since = np.where(on, 0.0, t - t_a)
    left = np.exp(-koff * since)
    bound = a * (1 - decay)
    by_kon = (slope * (1 - decay) + a * held * u * decay) * left
    by_koff = (-slope * (1 - decay) + a * held * koff * decay - bound * koff * since) * left
    return bound * left, by_kon, by_koff


def amplitudes(shape, y):
    return np.maximum(0, (shape * y).sum(axis=1) / np.maximum((shape * shape).sum(axis=1), 1e-300))


def fit(y):
    def residual(p):
        return (p[2:, None] * shapes(p[0], p[1])[0] - y).ravel()

    def jacobian(p):
        shape, by_kon, by_koff = shapes(p[0], p[1])
        j = np.zeros((curves * points, 2 + curves))
        j[:, 0] = (p[2:, None] * by_kon).ravel()
        j[:, 1] = (p[2:, None] * by_koff).ravel()
        for g in range(curves):
            j[g * points : (g + 1) * points, 2 + g] = shape[g]
        return j

    dissociation = t[-1] - t_a
    middle = np.exp(np.log(c).mean())
    starts = []
    for exponent in (0.05, 0.7, 10):
        for kd in (middle / 10, middle, 3 * c.max()):
            ln_koff = np.log(exponent / dissociation)
            shape = shapes(ln_koff - np.log(kd), ln_koff)[0]
            rmax = amplitudes(shape, y)
            ssr = ((rmax[:, None] * shape - y) ** 2).sum()
            starts.append((ssr, np.concatenate([[ln_koff - np.log(kd), ln_koff], rmax])))
    starts.sort(key=lambda start: start[0])
    found = [least_squares(residual, p, jac=jacobian, method="lm", xtol=1e-10, ftol=1e-10) for _, p in starts[:2]]
    best = min(found, key=lambda result: result.cost)
    return float(np.exp(best.x[1] - best.x[0]))


ms, kd_m = [], []
for signals in data["sets"]:
    y = np.array(signals)
    start = time.perf_counter()
    kd_m.append(fit(y))
    ms.append(1e3 * (time.perf_counter() - start))
json.dump({"version": scipy.__version__, "ms": ms, "kd_m": kd_m}, sys.stdout)
