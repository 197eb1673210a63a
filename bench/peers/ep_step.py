"""Duet's two-expert project in plain torch.distributed: expert parallelism over gloo, one process and thread a rank.

usage: ep_step.py [--ranks 2] [--tokens 64] [--steps 200] [--warm-up 20]

Prints one JSON line: step times of the slowest rank in microseconds, and the loss at start and end.
"""

import argparse
import json
import os
import statistics
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

DIM, HIDDEN, AUX_WEIGHT, LEARNING_RATE = 32, 64, 0.001, 3e-3


class AllToAll(torch.autograd.Function):
    """Rows change ranks; the gradient travels back the same way."""

    @staticmethod
    def forward(ctx, rows, send_rows, receive_rows):
        ctx.send_rows, ctx.receive_rows = send_rows, receive_rows
        out = rows.new_empty(sum(receive_rows), rows.shape[1])
        dist.all_to_all_single(out, rows.contiguous(), receive_rows, send_rows)
        return out

    @staticmethod
    def backward(ctx, grad):
        out = grad.new_empty(sum(ctx.send_rows), grad.shape[1])
        dist.all_to_all_single(out, grad.contiguous(), ctx.send_rows, ctx.receive_rows)
        return out, None, None


class Rank(nn.Module):
    """The router, and this rank's one expert."""

    def __init__(self, ranks, rank):
        super().__init__()
        torch.manual_seed(1)
        self.router = nn.Linear(DIM, ranks)
        torch.manual_seed(2 + rank)
        self.expert = nn.Sequential(nn.Linear(DIM, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, DIM))

    def forward(self, x):
        probs = self.router(x).softmax(1)
        gate, chosen = probs.max(1)
        order = chosen.argsort(stable=True)
        counts = chosen.bincount(minlength=probs.shape[1])
        arriving = torch.empty_like(counts)
        dist.all_to_all_single(arriving, counts)
        send_rows, receive_rows = counts.tolist(), arriving.tolist()
        rows = AllToAll.apply(x[order], send_rows, receive_rows)
        home = AllToAll.apply(self.expert(rows), receive_rows, send_rows)
        position = torch.empty_like(order)
        position[order] = torch.arange(len(order))
        return home[position] * gate.unsqueeze(1), probs, counts


def std_loss(probs, counts):
    """std(tokens per expert), straight-through: a probability stands for its part of the count."""
    n = counts.to(probs.dtype)
    std = n.std()
    slope = ((n - n.mean()) / (std * (len(n) - 1))).nan_to_num(0)
    soft = (probs * slope).sum()
    return soft + (std - soft).detach()


def make_task(seed=3):
    """Two clusters of tokens, each with a teacher of its own."""
    draw = torch.Generator().manual_seed(seed)
    sign = torch.randn(DIM, generator=draw).sign()
    teachers = [(torch.randn(HIDDEN, DIM, generator=draw) / (3 * DIM**0.5),
                 torch.randn(DIM, HIDDEN, generator=draw) / (HIDDEN / 2) ** 0.5) for _ in range(2)]

    def batch(tokens, step, rank):
        own = torch.Generator().manual_seed(1000 * step + rank)
        kind = torch.rand(tokens, 1, generator=own) < 0.5
        x = torch.randn(tokens, DIM, generator=own) + torch.where(kind, 3.0, -3.0) * sign
        answers = [(x @ w1.T).relu() @ w2.T for w1, w2 in teachers]
        return x, torch.where(kind, *answers)

    return batch


def train(rank, args, results):
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(args.port))
    dist.init_process_group("gloo", rank=rank, world_size=args.ranks)
    model = Rank(args.ranks, rank)
    adam = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, fused=True)
    router, parameters = list(model.router.parameters()), list(model.parameters())
    batch = make_task()
    times, losses = [], []
    for step in range(args.steps):
        x, target = batch(args.tokens, step, rank)
        dist.barrier()
        start = time.perf_counter()
        x.requires_grad_(True)
        out, probs, counts = model(x)
        mse = nn.functional.mse_loss(out, target)
        loss = mse + AUX_WEIGHT * std_loss(probs, counts)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        flat = torch.cat([p.grad.view(-1) for p in router])
        dist.all_reduce(flat)
        for p, grad in zip(router, flat.split([p.numel() for p in router])):
            p.grad = grad.view_as(p)
        torch._foreach_div_([p.grad for p in parameters], args.ranks)
        adam.step()
        times.append((time.perf_counter() - start) * 1e6)
        losses.append(mse.item())
    results[rank] = (times, losses)
    dist.barrier()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--warm-up", type=int, default=20)
    parser.add_argument("--port", type=int, default=29511)
    args = parser.parse_args()
    with mp.Manager() as manager:
        results = manager.dict()
        mp.spawn(train, (args, results), nprocs=args.ranks)
        ranks = [results[rank] for rank in range(args.ranks)]
    slowest = sorted(max(times) for times in zip(*(times[args.warm_up:] for times, _ in ranks)))
    tenths = statistics.quantiles(slowest, n=10, method="inclusive")
    mean_loss = [sum(losses) / args.ranks for losses in zip(*(losses for _, losses in ranks))]
    print(json.dumps({"tokens": args.tokens, "steps": args.steps,
                      "step_us": {"min": slowest[0], "median": statistics.median(slowest),
                                  "p10": tenths[0], "p90": tenths[-1]},
                      "loss_first": mean_loss[0], "loss_last": mean_loss[-1]}))


if __name__ == "__main__":
    main()
