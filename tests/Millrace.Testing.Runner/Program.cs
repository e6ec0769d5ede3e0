using System.Reflection;
using System.Runtime.Loader;
using Millrace.Testing.Runner;
using Xunit.Abstractions;
using Xunit.Sdk;

const string TestsEnd = ".Tests.dll";
args = args is ["exec", ..] ? args[1..] : args;
if (args is [] || (args.Length == 1 && args[0].EndsWith(TestsEnd, StringComparison.Ordinal)))
{
    Console.Error.WriteLine("dotnet NAME.Tests.dll LOG [CLASS…]    runs xunit's tests, of the named classes or all, one after the other");
    Console.Error.WriteLine("                                      and not those that LOG has already");
    Console.Error.WriteLine("dotnet [exec] PROGRAM.dll [ARGUMENT…] runs a program, as the tests ask of a dotnet");
    return 2;
}

string path = Path.GetFullPath(args[0]);
string folder = Path.GetDirectoryName(path)!;
AssemblyLoadContext.Default.Resolving += (context, name) =>
    Path.Combine(folder, name.Name + ".dll") is var file && File.Exists(file) ? context.LoadFromAssemblyPath(file) : null;
Assembly assembly = AssemblyLoadContext.Default.LoadFromAssemblyPath(path);
if (!path.EndsWith(TestsEnd, StringComparison.Ordinal))
{
    // A program that starts itself again asks for its entry assembly.
    Assembly.SetEntryAssembly(assembly);
    return AppDomain.CurrentDomain.ExecuteAssemblyByName(assembly.GetName(), args[1..]);
}

using var log = new TestLog(args[1]);
IList<CustomAttributeTypedArgument>? custom = assembly.GetCustomAttributesData()
    .FirstOrDefault(data => data.AttributeType.Name == nameof(Xunit.TestFrameworkAttribute))?.ConstructorArguments;
Type type = custom is null ? typeof(XunitTestFramework) : assembly.GetType((string)custom[0].Value!, throwOnError: true)!;
using var framework = (TestFramework)Activator.CreateInstance(type, [log])!;
using ITestFrameworkDiscoverer discoverer = framework.GetDiscoverer(Reflector.Wrap(assembly));
var options = new RunnerOptions();
options.SetValue("xunit.discovery.PreEnumerateTheories", false);
options.SetValue("xunit.execution.DisableParallelization", true);
discoverer.Find(includeSourceInformation: false, log, options);
log.Discovered.Wait();
ITestCase[] cases =
[
    .. log.Cases.Where(test => (args.Length == 2 || args.AsSpan(2).Contains(test.TestMethod.TestClass.Class.Name)) && !log.HasEnded(test)),
];
SynchronizationContext.SetSynchronizationContext(new PoolContext());
using ITestFrameworkExecutor executor = framework.GetExecutor(new AssemblyName(assembly.FullName!));
executor.RunTests(cases, log, options);
return log.WaitForEnd() ? 0 : 1;
