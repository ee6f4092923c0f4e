// The methods that `poet compare` has, one row each.
#include "poet/methods/method_table.h"

#include "poet/methods/capuchin.h"
#include "poet/methods/checkmate_rounded.h"
#include "poet/methods/chen.h"
#include "poet/methods/dtr.h"
#include "poet/methods/h_revolve.h"
#include "poet/methods/keep_everything.h"
#include "poet/methods/min_cut.h"
#include "poet/methods/pofo.h"
#include "poet/methods/restricted.h"
#include "poet/methods/revolve.h"
#include "poet/methods/rotor.h"
#include "poet/overlap/planner.h"
#include "poet/solve/released_solver.h"

namespace poet {

const std::vector<MethodEntry>& method_table() {
  static const std::vector<MethodEntry> table = {
      {"keep-all-unfreed", "keep everything, free nothing before the end", "",
       make_keep_everything_without_freeing},
      {"keep-all", "keep everything, free at the last use: what frameworks do", "",
       make_keep_everything},
      {"chen-sqrt", "every sqrt(n)-th articulation point is a checkpoint",
       "Chen, Xu, Zhang, Guestrin: arXiv 1604.06174, 2016", make_chen_sqrt},
      {"chen-sqrt-linearised", "every sqrt(n)-th operation is a checkpoint",
       "Chen et al. 2016, as in Jain et al.: Checkmate, MLSys 2020", make_chen_sqrt_linearised},
      {"chen-greedy", "a checkpoint after every b bytes, at articulation points; the best b",
       "Chen, Xu, Zhang, Guestrin: arXiv 1604.06174, 2016", make_chen_greedy},
      {"chen-greedy-linearised", "a checkpoint after every b bytes, anywhere; the best b",
       "Chen et al. 2016, as in Jain et al.: Checkmate, MLSys 2020", make_chen_greedy_linearised},
      {"min-cut", "what compilers do: save a least cut of the forward pass, make the rest again",
       "He, Yu: Transcending Runtime-Memory Tradeoffs in Checkpointing, MLSys 2023", make_min_cut},
      {"capuchin", "swaps what can be hidden, then recomputes what saves most memory per second",
       "Peng, Shi, Dai, Jin, Ma, Xiong, Yang, Qian: Capuchin, ASPLOS 2020", make_capuchin},
      {"dtr", "online: evicts what costs least to have again, by its bytes and age",
       "Kirisame, Lyubomirsky, Haan, Brennan, He, Roesch, Chen, Tatlock: DTR, ICLR 2021", make_dtr},
      {"dtr-eq", "DTR with the evicted neighbourhood taken from classes that never split",
       "Kirisame et al.: DTR, ICLR 2021", make_dtr_classes},
      {"dtr-local", "DTR with a tensor's own cost alone", "Kirisame et al.: DTR, ICLR 2021",
       make_dtr_local},
      {"revolve", "binomial checkpoints on the chain of articulation points; the best number",
       "Griewank, Walther: Algorithm 799: Revolve, ACM TOMS 26(1), 2000", make_revolve},
      {"rotor", "optimal recomputation on the chain of articulation points, in slots of memory",
       "Beaumont, Eyraud-Dubois, Herrmann, Joly, Shilova: arXiv 1911.13214, 2019", make_rotor},
      {"h-revolve", "checkpoints in RAM and in storage, on the chain of articulation points",
       "Herrmann, Pallez: H-Revolve, ACM TOMS 46(2), 2020", make_h_revolve},
      {"pofo", "recomputation and offloading beside it, on the chain of articulation points",
       "Beaumont, Eyraud-Dubois, Shilova: Efficient Combination of Rematerialization and "
       "Offloading for Training DNNs, NeurIPS 2021",
       make_pofo},
      {"checkmate-rounded", "the linear relaxation of checkmate, rounded in two phases",
       "Jain et al.: Checkmate, MLSys 2020, section 5.2", make_checkmate_rounded},
      {"checkmate", "optimal rematerialisation: the least time",
       "Jain, Jain, Nrusimha, Gholami, Abbeel, Keutzer, Stoica, Gonzalez: Checkmate, MLSys 2020",
       make_checkmate, true, false, false},
      {"rematerialisation", "optimal without paging, for the same objective as POET", "",
       make_rematerialisation_alone, true, false, false},
      {"paging", "optimal without recomputation, for the same objective as POET", "",
       make_paging_alone, true, false, true, false},
      {"poet-released", "the formulation of the released POET code",
       "Patil, Jain, Dutta, Stoica, Gonzalez: POET, ICML 2022", make_released_solver, false, false,
       true, true, true},
      {"poet", "recomputation and paging, jointly optimal", "this program", make_planner, true,
       true},
  };
  return table;
}

const MethodEntry& exact_method() {
  return method_table().back();
}

}  // namespace poet
