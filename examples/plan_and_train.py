# %% [markdown]
# # A small network in little memory
#
# Training keeps what the forward pass computes for the backward pass. Here a network is built, its training step is planned
# for a board that cannot keep all that, the plan is looked at from several sides, and the network is trained within the
# same memory. Sizes are bytes, times seconds, energies joules.

# %%
import warnings

import numpy as np

import poet

warnings.simplefilter("ignore")  # of budgets above a board's RAM: the answer has them, too

# %% [markdown]
# ## A network
#
# Three convolutions for pictures of 16 x 16 with one channel, in batches of 16.

# %%
net = poet.NetworkBuilder(seed=1)
x = net.input("image", (16, 1, 16, 16))
x = net.relu(net.conv2d(x, 8))
y = net.relu(net.conv2d(x, 8))
x = net.max_pool2d(net.add(x, y))
x = net.relu(net.conv2d(x, 16))
net.output(net.linear(net.global_average_pool(x), 4))
model = net.build("corners")
model

# %% [markdown]
# ## How little is enough?
#
# The smallest RAM budget in which the step can be done at all on a Cortex-M4 with an SD card, and a proof that a byte less
# does not do.

# %%
least = poet.minimum(model, "m4", runtime_budget=3, parts="whole")
print(f"{least.status}: {least.found_bytes:,} of {least.plain_peak_bytes:,} bytes")

# %% [markdown]
# ## A plan
#
# Halfway between the least and everything, with the least energy.

# %%
answer = poet.solve(model, "m4", ram_budget="50%way", runtime_budget=3)
print(f"{answer.status}: {answer.energy_j:.5f} J, at least {answer.unavoidable_j:.5f} J")
print(f"peak {answer.peak_ram_bytes:,} of {answer.ram_budget_bytes:,} bytes")
print(f"{answer.recomputed_operations} operations again, {answer.paged_tensors} tensors paged")

# %% [markdown]
# The verifier shares no code with the solvers, and derives each figure again.

# %%
check = answer.plan.verify()
print(check.valid, check.peak_ram_bytes == answer.peak_ram_bytes)

# %% [markdown]
# In a notebook, an answer shows itself with its charts.

# %%
answer

# %% [markdown]
# ## Against other methods
#
# All are judged by the same replay.

# %%
compared = poet.compare(model, "m4", ram_budget="50%way", runtime_budget=3, methods=["keep-all", "chen-greedy", "dtr", "paging"])
for run in compared.methods:
    print(f"{run['method']:12} {run['outcome']}")

# %% [markdown]
# ## Training
#
# Pictures of which one corner is bright; which one is the class. First with all the memory that it takes, then in 60 % of it.

# %%
def pictures(count, seed):
    draws = np.random.default_rng(seed)
    labels = draws.integers(0, 4, count)
    made = draws.normal(0, 0.3, (count, 1, 16, 16)).astype(np.float32)
    for picture, label in zip(made, labels):
        row, column = divmod(label, 2)
        picture[0, 8 * row:8 * row + 8, 8 * column:8 * column + 8] += 1
    return made, labels


asked = dict(data=pictures(320, 1), test_data=pictures(80, 2), steps=100, optimiser="adam", learning_rate=0.01)
ample = poet.train(model, ram_budget="100%", **asked)
scarce = poet.train(model, ram_budget="60%", **asked)
print(f"loss {ample.losses[0]:.4f} at first, {ample.losses[-1]:.4f} at the end")
print(f"accuracy {100 * ample.evaluation['accuracy']:.0f} % of pictures that it has not seen")
print(f"arena {ample.arena_bytes:,} and {scarce.arena_bytes:,} bytes")

# %% [markdown]
# Less memory costs time and energy. It does not change a bit of what is learnt.

# %%
ample.parameters_sha256 == scarce.parameters_sha256

# %%
scarce.predict(pictures(4, 3)[0]).argmax(axis=1), pictures(4, 3)[1]
